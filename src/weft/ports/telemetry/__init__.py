"""What whoever runs the service is told: traces of runs, and log lines."""
