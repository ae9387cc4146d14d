import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Service } from './service.ts'
import { openStage } from './stage.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A service, and a folder with the project's packages in which the commands of a page are run. */
export interface PageStage {
  readonly service: Service
  readonly folder: string
  /** The ignored folder in it, in which readers of the pages work. */
  readonly scratch: string
  /** The environment of commands there. */
  readonly shell: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
  close(): Promise<void>
}

/** The text of a page of the project, such as `docs/webhooks.md`. */
export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** All pages in docs, including its folders. */
export function docPages(): string[] {
  const names = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  return names.filter(name => name.endsWith('.md')).map(name => `docs/${name}`)
}

/** The links of a page whose file or heading does not exist. */
export function deadLinksOf(page: string): string[] {
  const links = [...readPage(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter(link => {
    const [path = '', heading] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(ROOT, target))) return true
    return heading !== undefined && !headingsOf(readPage(target)).includes(heading)
  })
}

/** The anchors of headings. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

export async function openPageStage(): Promise<PageStage> {
  const folder = mkdtempSync(join(tmpdir(), 'batua-page-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const scratch = join(folder, 'scratch')
  mkdirSync(scratch)
  const { service, close } = await openStage({ DATA_DIR: folder })
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  return {
    service,
    folder,
    scratch,
    shell: { cwd: folder, env: { PATH: path, NO_COLOR: '1', BASE_URL: service.address } },
    async close() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
