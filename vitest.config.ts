import { defineConfig } from 'vitest/config'

const SECOND_MS = 1_000
const elsewhere = ['**/node_modules/**', '**/.data/**']
const globalSetup = ['service/src/testing/global-setup.ts']

// `test` is what every change runs; `long` holds the proofs at length: crashes, races, models.
export default defineConfig({
  // Packages of this project are tested as they are written, not as they were last built.
  ssr: { resolve: { conditions: ['@batua/source', 'module', 'node', 'development|production'] } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // What modules keep (ids, clocks, a sink) harms no other file, so files share what was imported once.
    isolate: false,
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'test',
          include: ['**/*.test.ts'],
          exclude: ['**/*.long.test.ts', ...elsewhere],
          globalSetup,
          testTimeout: 20 * SECOND_MS,
          hookTimeout: 30 * SECOND_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['**/*.long.test.ts'],
          exclude: elsewhere,
          globalSetup,
          fileParallelism: false,
          testTimeout: 900 * SECOND_MS,
          hookTimeout: 120 * SECOND_MS,
        },
      },
    ],
  },
})
