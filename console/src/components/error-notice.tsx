import { isBatuaError } from '@batua/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { PasskeyError } from '../api/passkey.ts'
import { useTexts } from '../language/language.tsx'
import { Icon } from './icon.tsx'
import classes from './notice.module.css'
import { refusalTexts } from './refusal-texts.ts'
import { componentTexts } from './texts.ts'

interface ErrorNoticeProps {
  readonly error: Error
  readonly onRetry?: () => void
}

/** Why something failed, with the request id to quote and a way on. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const t = useTexts(componentTexts)
  const { meaning, message, requestId } = useErrorWords(error)
  return (
    <div role="alert" className={classes.notice} data-kind="bad">
      <Icon name="warning" />
      <Stack gap="xs">
        {meaning !== null && <Text fw={600}>{meaning}</Text>}
        <Text>{message}</Text>
        {requestId !== null && (
          <Text size="sm" className={classes.small}>
            {t.requestId(requestId)}
          </Text>
        )}
        {onRetry !== undefined && (
          <Group>
            <Button
              size="sm"
              variant="default"
              leftSection={<Icon name="repeat" size={16} />}
              onClick={onRetry}
            >
              {t.retry}
            </Button>
          </Group>
        )}
      </Stack>
    </div>
  )
}

/** Why something failed, below the button that failed. */
export function ErrorLine({ error }: { readonly error: Error }) {
  const { meaning, message } = useErrorWords(error)
  return (
    <Text role="alert" size="sm" c="error" mt={4}>
      {meaning !== null && `${meaning}. `}
      {message}
    </Text>
  )
}

interface ErrorWords {
  /** What the code of a refusal means, in the reader's language; null: the message is the console's own. */
  readonly meaning: string | null
  readonly message: ReactNode
  readonly requestId: string | null
}

/** The service's message, which is English, under what its code means; or the console's own if the service did not respond. */
function useErrorWords(error: Error): ErrorWords {
  const t = useTexts(componentTexts)
  const { refused } = useTexts(refusalTexts)
  if (error instanceof PasskeyError) return ownWords(t.passkey[error.reason])
  if (!isBatuaError(error)) return ownWords(t.broken)
  const { code, message, requestId } = error
  if (code === 'network_error' || code === 'timeout' || code === 'invalid_response')
    return { ...ownWords(t[code]), requestId }
  return { meaning: refused[code], message: <span lang="en">{message}</span>, requestId }
}

const ownWords = (message: string): ErrorWords => ({ meaning: null, message, requestId: null })
