import { EXIT, type ExitCode, usage } from '../failure.ts'
import type { Session } from '../session.ts'
import { describe, type Run } from './command.ts'

interface VerifyOptions {
  readonly keys?: string
  readonly at?: string
  readonly proof?: string
  readonly from?: string
  readonly to?: string
}

export function verifyCommand(run: Run) {
  return describe({
    name: 'verify',
    summary: 'Verify offline what the service signed',
    description:
      'A receipt, certificate, membership proof, identity, origins document, audit entry, checkpoint or token, as the service returned it. Exits with 0 if it is genuine and with 1 if it is not.',
    examples: ['batua verify receipt.json', 'batua verify receipt.json --keys service-keys.json'],
  })
    .argument('<file>', 'the file; - reads standard input')
    .option('--keys <file>', 'the key document of the service; by default as it was at the last login')
    .option('--at <time>', 'the time at which it must be valid; by default now')
    .option('--proof <file>', 'for an object of a revoked key: the response of /v1/audit/verify for it')
    .option('--from <file>', 'the earlier checkpoint of a consistency proof')
    .option('--to <file>', 'the later checkpoint of a consistency proof')
    .action(run(verify))
}

async function verify(
  session: Session,
  options: VerifyOptions,
  [file = '']: readonly string[],
): Promise<ExitCode> {
  const { out, stdin } = session
  const { from, to, proof = null } = options
  if ((from === undefined) !== (to === undefined)) throw usage('--from and --to belong together')
  const at = options.at === undefined ? new Date() : new Date(options.at)
  if (Number.isNaN(at.getTime())) throw usage('--at must be a time, such as 2026-11-20T10:15:30Z')
  const checkpoints = from === undefined || to === undefined ? null : { from, to }
  // Its schemas take a moment to prepare, and no other command needs them.
  const { resultText, verifyFiles } = await import('@batua/verification')
  const keyFile = options.keys ?? (await keptKeys(session))
  const files = { file, keyFile, proof, checkpoints }
  const result = await verifyFiles(files, { at, folder: process.cwd(), stdin })
  const isGenuine = result.kind === 'genuine'
  out.body({
    result: isGenuine ? 'genuine' : result.verdict,
    message: isGenuine ? result.says : result.because,
    checked: result.checked,
    unknowable: isGenuine ? result.unknowable : [],
  })
  out.lines(resultText(result).trimEnd())
  return isGenuine ? EXIT.done : EXIT.failed
}

/** The key document of the last login. An old one does not know newer keys, and says so. */
async function keptKeys({ profiles }: Session): Promise<{ readonly text: string }> {
  const keys = (await profiles.read())?.keys
  if (keys !== undefined) return { text: JSON.stringify(keys) }
  throw usage('Name the key document with --keys, or log in: a login keeps it')
}
