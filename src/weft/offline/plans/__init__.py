"""Questions read as plans over tables: what is asked, of which rows, in what order."""
