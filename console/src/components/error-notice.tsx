import { isBatuaError } from '@batua/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { PasskeyError } from '../api/passkey.ts'
import { useTexts } from '../language/language.tsx'
import { Icon } from './icon.tsx'
import classes from './notice.module.css'
import { componentTexts } from './texts.ts'

interface ErrorNoticeProps {
  readonly error: Error
  readonly onRetry?: () => void
}

/** Why something failed, in the service's own words, with the request id to quote and a way on. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const t = useTexts(componentTexts)
  const { message, requestId } = useErrorWords(error)
  return (
    <div role="alert" className={classes.notice} data-kind="bad">
      <Icon name="warning" />
      <Stack gap="xs">
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

/** The service's message, or the console's own if the service did not respond. */
export function useErrorWords(error: Error): { readonly message: string; readonly requestId: string | null } {
  const t = useTexts(componentTexts)
  if (error instanceof PasskeyError) return { message: t.passkey[error.reason], requestId: null }
  if (!isBatuaError(error)) return { message: t.broken, requestId: null }
  const { code, message, requestId } = error
  const isOwn = code === 'network_error' || code === 'timeout' || code === 'invalid_response'
  return { message: isOwn ? t[code] : message, requestId }
}
