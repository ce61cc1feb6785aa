//! Edits as sentences for a person (C6).
