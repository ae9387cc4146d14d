import { webhookCrashTests } from './src/webhook-crash-tests.ts'

// The long version is crash-webhooks.long.test.ts.
webhookCrashTests({
  events: 500,
  crashes: 1,
  seed: Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31)),
  awaitsLease: false,
  report: () => undefined,
})
