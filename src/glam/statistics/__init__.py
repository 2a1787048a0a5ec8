"""What a number of trials allows to be said: intervals of rates and of their differences, spread across trainings."""
