import { parseArgs } from 'node:util'

export interface RestoredOptions {
  /** Files with checkpoints that a client kept. */
  readonly checkpoints: readonly string[]
  /** Files with what clients received, one JSON object a line. */
  readonly received: readonly string[]
  readonly laterDatabase: string | null
  readonly json: boolean
  readonly help: boolean
}

export const USAGE = `Checks a database that was restored from a backup, before nodes start on it, and lists what it lost.

  npm run check-restored -- [--checkpoint FILE]… [--received FILE]… [--later-database URL] [--json]

  --checkpoint      a checkpoint that a client kept (the response of /v1/audit/checkpoint, or its text)
  --received            what clients received: responses, receipts or webhook events, one JSON object a line
  --later-database  another copy that goes on longer, such as the broken one, if it can still be read
  --json            prints JSON

It checks the whole ledger, all rows with MACs and the whole audit log, compares the log with the checkpoints, and lists
what the files or the later copy have and this database does not. It migrates the database, as a start of the service
does, and changes nothing else. DATABASE_URL, MODE and MASTER_KEY are those of the service.

Exits with 0 if the checks pass and nothing is missing, 1 if not, 2 if the command failed or the database is refused.
`

/** Reads the command line; throws an error that names the wrong option. */
export function readRestoredOptions(args: readonly string[]): RestoredOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      checkpoint: { type: 'string', multiple: true, default: [] },
      received: { type: 'string', multiple: true, default: [] },
      'later-database': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { checkpoint: checkpoints, received, json, help } = values
  return { checkpoints, received, laterDatabase: values['later-database'] ?? null, json, help }
}
