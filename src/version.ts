// Owns: the version that servers and the command line report. A test holds it equal to package.json.

export const VERSION = "0.1.0";
