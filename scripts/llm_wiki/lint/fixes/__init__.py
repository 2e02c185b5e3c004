"""What `lint --fix` changes: stages that look at a snapshot and say what they want written.

Nothing here touches a file. `plan` runs the stages until none wants anything more, and turns the
difference between the first and the last snapshot into one transaction.
"""
