import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const SECOND_MS = 1_000
const elsewhere = ['**/node_modules/**', '**/.data/**']
const globalSetup = ['service/src/testing/global-setup.ts']

/** What takes longest comes first: a long file at the end would keep one worker busy and leave the other idle. */
const LONGEST = ['/e2e/', '/money-moves', '/cli/']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      [...LONGEST, ''].findIndex(part => moduleId.includes(part))
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own method, which mutates nothing
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

// `test` is what every change runs. `long` has what takes longer: crashes, starts, models at length. `browser` opens the
// console in Chromium. `drill` is what takes many minutes even once, and runs only by its own command.
export default defineConfig({
  // Packages of this project are tested as they are written, not as they were last built.
  ssr: { resolve: { conditions: ['@batua/source', 'module', 'node', 'development|production'] } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 2,
    // What modules keep (ids, clocks, a sink) harms no other file, so files share what was imported once.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'test',
          include: ['**/*.test.ts'],
          exclude: ['**/*.long.test.ts', '**/*.browser.test.ts', ...elsewhere],
          globalSetup,
          testTimeout: 60 * SECOND_MS,
          hookTimeout: 120 * SECOND_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['**/*.browser.test.ts'],
          exclude: elsewhere,
          globalSetup,
          fileParallelism: false,
          testTimeout: 300 * SECOND_MS,
          hookTimeout: 120 * SECOND_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['**/*.long.test.ts'],
          exclude: elsewhere,
          globalSetup,
          testTimeout: 900 * SECOND_MS,
          hookTimeout: 120 * SECOND_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'drill',
          include: ['**/*.drill.ts'],
          exclude: elsewhere,
          globalSetup,
          testTimeout: 900 * SECOND_MS,
          hookTimeout: 300 * SECOND_MS,
        },
      },
    ],
  },
})
