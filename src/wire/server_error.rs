//! What an error frame means. Servers send free text; some also send a code, which then counts.

/// An error that a server reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// Stable code; see [`ServerError::of`].
    pub code: String,
    /// The server's own words.
    pub text: String,
}

/// Texts known from real servers, by how they begin.
const KNOWN: [(&str, &str); 11] = [
    ("Message content is required", "empty_prompt"),
    ("messageId is required to revert", "unknown_turn"),
    ("Cannot revert while the agent is busy", "busy"),
    ("Cannot redo while the agent is busy", "busy"),
    ("Cannot prompt while the agent is busy", "busy"),
    ("Unknown turn:", "unknown_turn"),
    ("Turn is not on the current conversation path", "not_on_path"),
    ("Failed to save the restored workflow", "save_failed"),
    ("Nothing to redo", "nothing_to_redo"),
    ("Agent not found", "agent_not_found"),
    ("Unknown message type:", "unsupported"),
];

impl ServerError {
    /// Reads an error frame: its own code when it has one, else a code by its text, else `server_error`.
    pub fn of(text: String, code: Option<String>) -> Self {
        let code = code.filter(|code| !code.is_empty()).unwrap_or_else(|| {
            KNOWN
                .iter()
                .find(|(start, _)| text.starts_with(start))
                .map_or("server_error", |(_, code)| code)
                .to_owned()
        });
        ServerError { code, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r8_texts_become_codes_and_codes_win() {
        for (text, code, expected) in [
            ("Unknown turn: msg-7", None, "unknown_turn"),
            ("Nothing to redo", None, "nothing_to_redo"),
            ("Nothing to redo", Some("review_pending"), "review_pending"),
            ("Nothing to redo", Some(""), "nothing_to_redo"),
            ("the database is on fire", None, "server_error"),
        ] {
            let error = ServerError::of(text.into(), code.map(str::to_owned));
            assert_eq!((error.code.as_str(), error.text.as_str()), (expected, text));
        }
    }
}
