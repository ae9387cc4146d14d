import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const CONSOLE = import.meta.dirname
const DIST = join(CONSOLE, 'dist')

/** Makes `dist`, which the service serves. It is built beside its place, so a build that fails leaves the one before. */
export async function makeDist(): Promise<void> {
  const scratch = mkdtempSync(join(CONSOLE, '.build-'))
  try {
    await build({
      configFile: join(CONSOLE, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: join(scratch, 'new'), emptyOutDir: true },
    })
    writeFileSync(join(scratch, 'new/service-worker.js'), serviceWorker(join(scratch, 'new')))
    rename(DIST, join(scratch, 'old'))
    renameSync(join(scratch, 'new'), DIST)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The service worker with the files that the page of this build begins with. */
function serviceWorker(folder: string): string {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const files = [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path)
  const build = createHash('sha256').update(page).digest('hex').slice(0, 16)
  const code = readFileSync(join(CONSOLE, 'service-worker.js'), 'utf8')
  return `const BUILD = '${build}'\nconst FILES = ${JSON.stringify(files)}\n${code}`
}
