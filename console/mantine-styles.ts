import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const COMPONENT = /@mantine\/core\/esm\/(?:components|utils)\/(\w+)\/\1\.mjs$/
const STYLES = new URL('./styles/', import.meta.resolve('@mantine/core/styles.css'))

/** Each component of Mantine brings its own style sheet, so a page loads the styles of what it shows and no others. */
export function mantineStyles(): Plugin {
  return {
    name: 'mantine-styles',
    transform: {
      filter: { id: COMPONENT },
      handler(code, id) {
        const sheet = `${COMPONENT.exec(id)?.[1]}.layer.css`
        if (!existsSync(fileURLToPath(new URL(sheet, STYLES)))) return null
        // After the imports of the component, so the sheets of what it is made of come first.
        return { code: `${code}\nimport '@mantine/core/styles/${sheet}'\n`, map: null }
      },
    },
  }
}
