import type { Agent } from '@batua/sdk'
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useRead } from '../api/use-read.ts'
import { useTexts } from '../language/language.tsx'
import { agentsTexts } from './texts.ts'

const LISTED = 100
const TYPING_MS = 250

interface AgentChoice {
  /** The newest agents, or those that were found. */
  readonly agents: readonly Agent[]
  /** Finds agents by a part of their name or handle while it is written; null where one list has all of them. */
  readonly finder: ReactNode
}

/** The agents to choose from: `const { agents, finder } = useAgentChoice()`. */
export function useAgentChoice(filter: { readonly owner_id?: string } = {}): AgentChoice {
  const t = useTexts(agentsTexts)
  const [written, write] = useState('')
  const [search] = useDebouncedValue(written.trim(), TYPING_MS)
  const newest = useRead('listAgents', { ...filter, limit: LISTED }).data
  const found = useRead('listAgents', { ...filter, search, limit: LISTED }, { enabled: search !== '' }).data
  return {
    agents: (search === '' ? newest : found)?.agents ?? [],
    finder: (newest?.pagination.total ?? 0) > LISTED && (
      <TextInput
        type="search"
        label={t.find}
        description={t.findHint(
          search === '' ? LISTED : (found?.agents.length ?? 0),
          newest?.pagination.total ?? 0,
        )}
        autoComplete="off"
        value={written}
        onChange={event => write(event.currentTarget.value)}
      />
    ),
  }
}
