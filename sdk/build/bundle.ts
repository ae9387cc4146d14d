import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { Entry } from './entries.ts'

/** A file of the bundle. */
export interface Bundled {
  readonly path: string
  readonly code: string
  /** The names that it exports; empty where only other files of the bundle import it. */
  readonly exports: readonly string[]
}

/**
 * The modules of these entries, as few CommonJS files without comments. Lines and names of functions are kept for
 * readable stacks; the tabs that lines begin with are not, which are a thirtieth of it compressed.
 */
export async function bundle(folder: string, entries: readonly Entry[]): Promise<Bundled[]> {
  const input = entries.map(({ name, source }) => [name, join(folder, source)])
  const build = await rolldown({
    input: Object.fromEntries(input),
    platform: 'neutral',
    // A program that imports the entry for MPP has its package.
    external: /^(?:node:|mppx$)/,
    tsconfig: false,
    // No names of source files in what is published.
    experimental: { attachDebugInfo: 'none' },
    transform: { target: 'es2022' },
  })
  const { output } = await build.generate({
    format: 'cjs',
    chunkFileNames: 'shared/[name].js',
    minify: { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: false } },
    comments: false,
  })
  await build.close()
  return output.flatMap(file =>
    file.type === 'chunk'
      ? {
          path: file.fileName,
          code: file.code.replace(/^\t+/gm, ''),
          exports: file.isEntry ? file.exports : [],
        }
      : [],
  )
}
