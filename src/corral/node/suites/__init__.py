"""Test suites on a phone: hearing `am instrument`, reading JUnit files, executing tests until each has a result."""
