import { webhookCrashTests } from './src/webhook-crash-tests.ts'

webhookCrashTests({
  events: Number(process.env['WEBHOOK_EVENTS'] ?? 100_000),
  crashes: Number(process.env['LONG_CRASHES'] ?? 25),
  seed: Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31)),
  awaitsLease: true,
  report: tally => console.log(tally),
})
