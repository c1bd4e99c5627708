//! `zkaccel completions` and `zkaccel manual`: what shells and `man` know of the command, made from its own arguments.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::failure::{Context, Failure};
use crate::{files, output};

/// Print the completions of a shell
///
/// They belong where the shell looks for them: for bash in share/bash-completion/completions/zkaccel, for zsh in
/// share/zsh/site-functions/_zkaccel, and for fish in share/fish/vendor_completions.d/zkaccel.fish, below /usr/local or ~/.local.
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Write the manual pages into a folder
///
/// One page for the command and one for each of its subcommands. They belong into share/man/man1.
#[derive(clap::Args)]
pub(crate) struct Manual {
    /// The folder, which has to exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Completions {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Arguments::command(), "zkaccel", &mut text);
        output::print(&String::from_utf8(text).map_err(Failure::new)?)
    }
}

impl Manual {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let folder = &self.folder;
        files::expect_folder("DIR", folder)?;
        let command = crate::Arguments::command().disable_help_subcommand(true);
        clap_mangen::generate_to(command, folder)
            .context(format_args!("cannot write the manual into {}", folder.display()))
    }
}
