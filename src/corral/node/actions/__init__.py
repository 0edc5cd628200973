"""What steps do, one module per family. Their contracts (`with`, output) are in corral.workflow.catalog."""
