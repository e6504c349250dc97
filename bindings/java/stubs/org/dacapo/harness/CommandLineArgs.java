package org.dacapo.harness;

/** In DaCapo's jar alone; here to compile against. */
public class CommandLineArgs {
}
