import type { Agent } from '@batua/sdk'
import { Button, Text } from '@mantine/core'
import { useAct } from '../api/use-act.ts'
import { ErrorLine } from '../components/error-notice.tsx'
import { Icon } from '../components/icon.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useTexts } from '../language/language.tsx'
import { agentsTexts } from './texts.ts'

/** Stops an agent with one tap, or lets it go on; each can be undone by the other. */
export function PauseOrResume({ agent: { agent_id, name, status } }: { readonly agent: Agent }) {
  const t = useTexts(agentsTexts)
  const pause = useAct('pauseAgent', {
    onDone: () => sayDone(t.isPaused(name), () => resume.mutate({ agent_id })),
  })
  const resume = useAct('resumeAgent', { onDone: () => sayDone(t.isResumed(name)) })
  const failed = pause.error ?? resume.error
  if (status === 'deactivated') return '–'
  if (status === 'frozen' || status === 'quarantined') return <Text size="sm">{t.stopped}</Text>
  const isActive = status === 'active'
  const act = isActive ? pause : resume
  return (
    <>
      <Button
        size="sm"
        variant="default"
        leftSection={<Icon name={isActive ? 'pause' : 'play'} size={16} />}
        aria-label={isActive ? t.pause(name) : t.resume(name)}
        loading={pause.isPending || resume.isPending}
        onClick={() => act.mutate({ agent_id })}
      >
        {isActive ? t.pauseShort : t.resumeShort}
      </Button>
      {failed !== null && <ErrorLine error={failed} />}
    </>
  )
}
