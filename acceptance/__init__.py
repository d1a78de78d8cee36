"""The desk's jobs, done from outside through the `cloudnee` command with the real embedder.

`python -m acceptance` prints a table of job, time and result, and ends with 1 if a job fails.
"""
