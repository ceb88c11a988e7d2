"""Where the rows of tables come from: records, pages by their heads, tables that stand in texts."""
