// What a server is and which databases it has; asked of its own database, system.

// name: components
// The parts of the server with their versions; one that can make databases is an enterprise edition.
CALL dbms.components() YIELD name, versions, edition RETURN name, versions, edition

// name: databases
// The databases, each once for every server that has a copy of it.
SHOW DATABASES YIELD name, currentStatus RETURN name, currentStatus

// name: make_database
// Make a database, unless it is there.
CREATE DATABASE $name IF NOT EXISTS
