"""Phones through an adb server, over USB or Wi-Fi."""
