"""One class per noun, one method per SQL function, one verb through all layers."""
