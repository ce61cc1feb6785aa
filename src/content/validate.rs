//! Whether a content is whole, and how to make it so (C7).
