import { auditCrashTests } from './src/audit-crash-tests.ts'

auditCrashTests({ crashes: Number(process.env['LONG_CRASHES'] ?? 25), longestLoadMs: 1_500 })
