"""What plans over tables answer: in short, the rows below it, and what else may be meant."""
