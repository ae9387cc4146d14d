import { webhookCrashTests } from './src/webhook-crash-tests.ts'

// The same at length is crash-webhooks.long.test.ts.
webhookCrashTests({
  events: 2_000,
  crashes: 2,
  seed: Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31)),
  awaitsLease: false,
  report: () => undefined,
})
