"""The platform's own endpoints: chat by mode, debates, raw records, search indexes."""
