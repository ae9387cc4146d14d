import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Service } from './service.ts'
import { openStage } from './stage.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A service, and a folder with the project's packages, in which what a page says is typed at it. */
export interface PageStage {
  readonly service: Service
  readonly folder: string
  /** How commands are run there. */
  readonly shell: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
  close(): Promise<void>
}

/** A page of the project as it is written: `docs/webhooks.md`. */
export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

export async function openPageStage(): Promise<PageStage> {
  const folder = mkdtempSync(join(tmpdir(), 'batua-page-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const { service, close } = await openStage({ DATA_DIR: folder })
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  return {
    service,
    folder,
    shell: { cwd: folder, env: { PATH: path, NO_COLOR: '1' } },
    async close() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
