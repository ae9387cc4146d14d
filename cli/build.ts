import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const FILE = join(import.meta.dirname, 'dist', 'batua.js')

/** Everything that the command needs, in one file that Node runs without an installation. */
async function bundled(): Promise<string> {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({
    input: join(import.meta.dirname, 'src', 'batua.ts'),
    platform: 'node',
    tsconfig: false,
    // The packages of this project as they are written, not as they were last built.
    resolve: { conditionNames: ['@batua/source', 'import', 'node', 'default'] },
    transform: { target: 'node20' },
  })
  const { output } = await build.generate({
    format: 'esm',
    banner: '#!/usr/bin/env node',
    codeSplitting: false,
    minify: { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: false } },
    comments: false,
  })
  await build.close()
  const [file, ...more] = output
  if (more.length > 0 || file.type !== 'chunk') throw new Error('The command is more than one file')
  return file.code
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

if (isInstalled('rolldown')) {
  mkdirSync(dirname(FILE), { recursive: true })
  // Renamed into place: a command that runs meanwhile finds a whole file.
  const draft = `${FILE}.${process.pid}`
  writeFileSync(draft, await bundled())
  chmodSync(draft, 0o755)
  renameSync(draft, FILE)
} else if (!process.argv.includes('--if-possible')) {
  throw new Error('The command cannot be built: its tools are not installed')
}
