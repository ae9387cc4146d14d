import { auditCrashTests } from './src/audit-crash-tests.ts'

// The same at length is crash-audit.long.test.ts.
auditCrashTests({ crashes: 2, longestLoadMs: 400 })
