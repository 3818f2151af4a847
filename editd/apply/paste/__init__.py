"""What a paste is: its form, its code blocks, the file that each is for, and the damage of copying taken back."""
