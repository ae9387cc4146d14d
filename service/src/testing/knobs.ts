// The tests' own entry point reads the environment as main.ts does for the service.

/** How long each proof at length goes on. */
export const LONG_SECONDS = Number(process.env['LONG_SECONDS'] ?? '40')

/** What a property-based proof begins with; printed, so that a failure can be looked into. */
export const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
