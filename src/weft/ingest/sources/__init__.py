"""Folders, inboxes and the files beside documents that say who may read them."""
