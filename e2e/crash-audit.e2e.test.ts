import { auditCrashTests } from './src/audit-crash-tests.ts'

// The long version is crash-audit.long.test.ts.
auditCrashTests({ crashes: 1, longestLoadMs: 400 })
