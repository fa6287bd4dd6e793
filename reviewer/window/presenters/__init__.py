"""What views show, as rows, texts and words: records in, strings out, no Qt."""
