"""The plans over tables that a question may mean, and which of them it most likely does."""
