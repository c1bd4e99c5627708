//! What is kept for later, up to so many bytes: those used longest ago go first.

/// The number of something that was put into a [`Store`]; none is given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// Things with sizes, in the order in which they were last used.
#[derive(Debug)]
pub(crate) struct Store<T> {
    entries: Vec<Entry<T>>,
    limit: u64,
    issued: u64,
}

#[derive(Debug)]
struct Entry<T> {
    ticket: Ticket,
    bytes: u64,
    item: T,
}

impl<T: Clone> Store<T> {
    pub(crate) const fn new(limit: u64) -> Self {
        Self { entries: Vec::new(), limit, issued: 0 }
    }

    /// Whether something of this size may be put in at all.
    pub(crate) fn has_room_for(&self, bytes: u64) -> bool {
        bytes <= self.limit
    }

    /// Puts something in and throws out what it takes; it stays out itself if it is larger than all room.
    pub(crate) fn put(&mut self, item: T, bytes: u64) -> Ticket {
        self.issued += 1;
        let ticket = Ticket(self.issued);
        if self.has_room_for(bytes) {
            let used = |entries: &[Entry<T>]| entries.iter().map(|entry| entry.bytes).sum::<u64>();
            while used(&self.entries) + bytes > self.limit {
                self.entries.remove(0);
            }
            self.entries.push(Entry { ticket, bytes, item });
        }
        ticket
    }

    /// What has this number, now the last used; `None` if it was thrown out.
    pub(crate) fn get(&mut self, ticket: Ticket) -> Option<T> {
        let index = self.entries.iter().position(|entry| entry.ticket == ticket)?;
        let entry = self.entries.remove(index);
        let item = entry.item.clone();
        self.entries.push(entry);
        Some(item)
    }

    /// All things of which something holds, the last used first.
    pub(crate) fn all(&self, holds: impl Fn(&T) -> bool) -> Vec<(Ticket, T)> {
        let entries = self.entries.iter().rev().filter(|entry| holds(&entry.item));
        entries.map(|entry| (entry.ticket, entry.item.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Store;

    #[test]
    fn those_used_longest_ago_go_first() {
        let mut store = Store::new(10);
        let [a, b] = ["a", "b"].map(|name| store.put(name, 4));
        assert_eq!(store.get(a), Some("a"));
        let c = store.put("c", 3);
        assert_eq!([a, b, c].map(|ticket| store.get(ticket)), [Some("a"), None, Some("c")]);
        assert_eq!(store.all(|&name| name != "a"), [(c, "c")]);
        let large = store.put("large", 11);
        assert!(!store.has_room_for(11) && store.get(large).is_none());
        assert_eq!(store.get(a), Some("a"), "what has no room throws nothing out");
        let whole = store.put("whole", 10);
        assert_eq!([a, c, whole].map(|ticket| store.get(ticket)), [None, None, Some("whole")]);
    }
}
