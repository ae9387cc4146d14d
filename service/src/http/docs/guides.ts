import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { staticAsset } from '../static-asset.ts'

/** The guides that the reference page links to, by the names of their files in docs/. */
export const GUIDES = [
  'pay-per-call',
  'authorizations',
  'tour',
  'policy',
  'agents',
  'clients',
  'webhooks',
  'verifying',
  'sandbox',
  'rate-limits',
  'glossary',
] as const

/** The line of links to the guides. Markdown. */
export function guideLinks(origin: string): string {
  const links = GUIDES.map(name => `[${name}](${origin}/docs/guides/${name}.md)`)
  return `**Guides.** ${links.join(' · ')}`
}

/** Serves each guide as plain text, which browsers display and programs read as Markdown. */
export function addGuides(scope: FastifyInstance): void {
  for (const name of GUIDES) {
    const sendGuide = staticAsset({
      type: 'text/plain; charset=utf-8',
      headers: { 'cache-control': 'no-cache' },
      make: () => readFile(new URL(`../../../../docs/${name}.md`, import.meta.url)),
    })
    scope.get(`/docs/guides/${name}.md`, sendGuide)
  }
}
