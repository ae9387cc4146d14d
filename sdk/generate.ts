import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { operations } from './generate/operations.ts'
import { routesFile } from './generate/routes-file.ts'
import { typesFile } from './generate/types-file.ts'

/**
 * Generates the SDK's types and routes from the contract: `node --conditions=@batua/source sdk/generate.ts`. With
 * `--check` it writes nothing and fails if a file differs.
 */

const HEAD =
  '// Generated from the contract by sdk/generate.ts; not to be edited.\n/* oxlint-disable max-lines */\n\n'
const ROOT = fileURLToPath(new URL('..', import.meta.url))

function main(isCheck: boolean): void {
  const all = operations()
  const files = { 'sdk/src/api/types.ts': typesFile(all), 'sdk/src/api/routes.ts': routesFile(all) }
  for (const [path, text] of Object.entries(files)) {
    const wanted = formatted(path, HEAD + text)
    if (!isCheck) writeFileSync(`${ROOT}${path}`, wanted)
    else if (readFileSync(`${ROOT}${path}`, 'utf8') !== wanted) {
      process.stderr.write(`${path} is not what the contract says; run sdk/generate.ts\n`)
      process.exitCode = 1
    }
  }
}

function formatted(path: string, text: string): string {
  const options = { cwd: ROOT, input: text, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 } as const
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', `--stdin-file-path=${path}`],
    options,
  )
  if (status !== 0) throw new Error(`biome did not format ${path}: ${stderr}`)
  return stdout
}

main(process.argv.includes('--check'))
