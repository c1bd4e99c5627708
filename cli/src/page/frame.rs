//! The frame of a page: head, title, headline figures, contents, sections, data.

use std::fmt::Write;

use super::escape;

/// A page.
pub(crate) struct Page {
    pub(crate) title: String,
    /// What the page is, above its title.
    pub(crate) kicker: String,
    /// What it says, in a paragraph.
    pub(crate) summary: String,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) sections: Vec<Section>,
    /// A few words at the end.
    pub(crate) footer: String,
    /// The data behind the page, as JSON.
    pub(crate) data: String,
}

/// A headline figure.
pub(crate) struct Tile {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) note: String,
}

/// A section.
pub(crate) struct Section {
    /// Unique in the page.
    pub(crate) id: &'static str,
    pub(crate) title: String,
    /// HTML.
    pub(crate) body: String,
}

impl Page {
    /// The file.
    pub(crate) fn html(&self) -> String {
        let Self { title, kicker, summary, tiles, sections, footer, data } = self;
        let [title, kicker, summary, footer] = [title, kicker, summary, footer].map(|text| escape(text));
        let (style, script) = (include_str!("style.css"), include_str!("hover.js"));
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src \
             'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the content</a>\n\
             <header>\n<p class=\"kicker\">{kicker}</p>\n<h1>{title}</h1>\n<p class=\"summary\">{summary}</p>\n"
        );
        // Writing to a string does not fail.
        if !tiles.is_empty() {
            html.push_str("<dl class=\"tiles\">\n");
            for Tile { name, value, note } in tiles {
                let [name, value, note] = [name, value, note].map(|text| escape(text));
                let _ = writeln!(
                    html,
                    "<div><dt>{name}</dt><dd class=\"value\">{value}</dd><dd class=\"note\">{note}</dd></div>"
                );
            }
            html.push_str("</dl>\n");
        }
        html.push_str(
            "</header>\n<div class=\"columns\">\n<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ol>\n",
        );
        for Section { id, title, .. } in sections {
            let _ = writeln!(html, "<li><a href=\"#{id}\">{}</a></li>", escape(title));
        }
        html.push_str("</ol>\n</nav>\n<main id=\"main\">\n");
        for Section { id, title, body } in sections {
            let _ = writeln!(
                html,
                "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{}</h2>\n{body}</section>",
                escape(title)
            );
        }
        // In JSON a `<` stands only in strings, where the escape means the same; so nothing in it can end the element.
        let data = data.replace('<', "\\u003c");
        let _ = write!(
            html,
            "</main>\n</div>\n<footer><p>{footer}</p></footer>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n"
        );
        html
    }
}
