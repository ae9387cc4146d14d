import type { Config } from './config/config.ts'

/** The address that the demo uses by default. */
const DEMO_ADDRESS = 'http://127.0.0.1:8080'

/** The text that the first start prints: the addresses and the first steps. */
export function welcome(config: Config, port: number): string {
  const local = config.baseUrl.endsWith(`:${config.port}`)
    ? config.baseUrl.replace(/:\d+$/, `:${port}`)
    : config.baseUrl
  const lines = [
    '',
    `  Batua is ready (${config.mode} mode)`,
    '',
    `    API     ${local}/v1`,
    `    Docs    ${local}/docs`,
    `    Health  ${local}/readyz`,
    '',
    ...(config.mode === 'sandbox'
      ? [`  Try it: ${local === DEMO_ADDRESS ? '' : `BASE_URL=${local} `}npm run demo`, '']
      : []),
    '',
  ]
  return lines.join('\n')
}
