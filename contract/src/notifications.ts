import { type Static, Type } from 'typebox'
import { NOTIFICATION_KIND_NAMES, NOTIFICATION_KINDS, type NotificationKind } from './codes.ts'
import { textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** Languages of the texts of notifications. */
export const NOTIFICATION_LANGUAGES = ['en', 'hi'] as const
export type NotificationLanguage = (typeof NOTIFICATION_LANGUAGES)[number]

/** The most browsers in which one person is notified. */
export const MAX_PUSH_SUBSCRIPTIONS = 20

/** The longest address of a push service. */
const ENDPOINT_MAX_LENGTH = 2_048

const language = oneOf([...NOTIFICATION_LANGUAGES], 'The language of the texts.')

const Channels = response(
  {
    push: Type.Boolean({ description: 'Whether your browsers show it.', examples: [true] }),
    message: Type.Boolean({ description: 'Whether a message is sent.', examples: [false] }),
  },
  {
    title: 'NotificationChannels',
    description: 'The channels of one kind of notification; both are off until you turn them on.',
  },
)

const ChannelsChange = request({
  push: Type.Optional(Type.Boolean({ description: 'Whether your browsers show it.', examples: [true] })),
  message: Type.Optional(Type.Boolean({ description: 'Whether a message is sent.', examples: [false] })),
})

/** The key of RFC 8292, section 2.4. */
const EXAMPLE_PUSH_KEY =
  'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs'

function ofEachKind<Value>(make: (kind: NotificationKind) => Value): Record<NotificationKind, Value> {
  return Object.fromEntries(NOTIFICATION_KIND_NAMES.map(kind => [kind, make(kind)])) as Record<
    NotificationKind,
    Value
  >
}

const settings = {
  kinds: response(
    ofEachKind(
      kind => Type.With(Channels, { description: NOTIFICATION_KINDS[kind].description }) as typeof Channels,
    ),
    { title: 'NotificationKinds', description: 'Which notifications are sent, and how.' },
  ),
  language,
  push_public_key: textOut(
    'The key with which a browser subscribes (`applicationServerKey`, VAPID), base64url.',
    EXAMPLE_PUSH_KEY,
  ),
  message_available: Type.Boolean({
    description: 'Whether the operator sends messages to this phone.',
    examples: [true],
  }),
}

const settingsExample = {
  kinds: ofEachKind(kind => ({ push: kind === 'approval_requested', message: false })),
  language: 'en',
  push_public_key: EXAMPLE_PUSH_KEY,
  message_available: true,
}

/** The notification settings of the person of a session. */
export const NotificationSettings = response(settings, {
  title: 'NotificationSettings',
  description: 'Which notifications you receive, and how.',
  examples: [settingsExample],
})
export type NotificationSettings = Static<typeof NotificationSettings>

export const getNotificationSettings = route({
  operationId: 'getNotificationSettings',
  method: 'GET',
  path: '/v1/notifications',
  tag: 'Notifications',
  summary: 'Get your notification settings',
  description: 'The settings of the person of this session. Nothing is sent until the person turns it on.',
  who: ['owner'],
  status: 200,
  response: NotificationSettings,
  errors: [],
})

export const updateNotificationSettings = route({
  operationId: 'updateNotificationSettings',
  method: 'PATCH',
  path: '/v1/notifications',
  tag: 'Notifications',
  summary: 'Change your notification settings',
  description:
    'Changes only the settings that the request names, for events from now on. A kind that is turned off is not sent any more, not even a notification that already waits. Each notification is sent once: it is a text and a link to the page on which to act, and never a decision.',
  who: ['owner'],
  body: request(
    {
      kinds: Type.Optional(
        request(
          ofEachKind(kind =>
            Type.Optional(
              Type.With(ChannelsChange, {
                description: NOTIFICATION_KINDS[kind].description,
              }) as typeof ChannelsChange,
            ),
          ),
          { description: 'Which notifications are sent, and how.' },
        ),
      ),
      language: Type.Optional(language),
    },
    {
      title: 'UpdateNotificationSettingsRequest',
      examples: [{ kinds: { approval_requested: { push: true }, payout_failed: { message: true } } }],
    },
  ),
  status: 200,
  response: response(settings, {
    title: 'NotificationSettingsUpdated',
    description: 'The settings now.',
    examples: [settingsExample],
  }),
  errors: ['conflict'],
})

const subscription = {
  subscription_id: idSchema('psub'),
  agent_hint: nullable(textOut('The browser; null: unknown.', 'Chrome on Android')),
  created_at: timestamp('When the browser was added.'),
  last_notified_at: nullable(timestamp('When its push service last accepted a notification; null: never.')),
  current: Type.Boolean({ description: 'Whether this request came from that browser.', examples: [true] }),
}

const subscriptionExample = {
  subscription_id: exampleId('psub'),
  agent_hint: 'Chrome on Android',
  created_at: '2026-11-20T10:15:30.000Z',
  last_notified_at: null,
  current: true,
}

const PushSubscription = Type.Object(subscription, { title: 'PushSubscription' })

export const createPushSubscription = route({
  operationId: 'createPushSubscription',
  method: 'POST',
  path: '/v1/push-subscriptions',
  tag: 'Notifications',
  summary: 'Be notified in this browser',
  description: `Takes what \`PushManager.subscribe\` returned for \`push_public_key\`. An endpoint that is known is replaced, also if another person gave it: a browser shows the notifications of the last one. A person has at most ${MAX_PUSH_SUBSCRIPTIONS}. It holds until it is ended here, by a logout in that browser, or by the push service; the end of a session does not end it.`,
  who: ['owner'],
  body: request(
    {
      endpoint: Type.String({
        minLength: 1,
        maxLength: ENDPOINT_MAX_LENGTH,
        format: 'single-line',
        description: 'The address at the push service; https.',
        examples: ['https://push.example.net/send/f2A9…'],
      }),
      keys: request(
        {
          p256dh: Type.String({
            pattern: '^[A-Za-z0-9_-]{87}$',
            description: 'The public key of the browser: base64url of an uncompressed point of P-256.',
            examples: [
              'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            ],
          }),
          auth: Type.String({
            pattern: '^[A-Za-z0-9_-]{22}$',
            description: 'The secret of the browser: base64url of 16 bytes.',
            examples: ['BTBZMqHH6r4Tts7J_aSIgg'],
          }),
        },
        { description: 'The keys that notifications are encrypted for.' },
      ),
    },
    {
      title: 'CreatePushSubscriptionRequest',
      examples: [
        {
          endpoint: 'https://push.example.net/send/f2A9…',
          keys: {
            p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            auth: 'BTBZMqHH6r4Tts7J_aSIgg',
          },
        },
      ],
    },
  ),
  status: 201,
  response: response(subscription, {
    title: 'PushSubscriptionCreated',
    description: 'The browser is added.',
    examples: [subscriptionExample],
  }),
  errors: ['conflict'],
})

export const listPushSubscriptions = route({
  operationId: 'listPushSubscriptions',
  method: 'GET',
  path: '/v1/push-subscriptions',
  tag: 'Notifications',
  summary: 'List the browsers that notify you',
  description:
    'The browsers in which the person of this session is notified, of all of the person’s sessions.',
  who: ['owner'],
  status: 200,
  response: response(
    {
      push_subscriptions: Type.Array(PushSubscription, {
        description: `Newest first; at most ${MAX_PUSH_SUBSCRIPTIONS}.`,
      }),
    },
    {
      title: 'PushSubscriptions',
      description: 'The browsers in which you are notified.',
      examples: [{ push_subscriptions: [subscriptionExample] }],
    },
  ),
  errors: [],
})

export const endPushSubscription = route({
  operationId: 'endPushSubscription',
  method: 'DELETE',
  path: '/v1/push-subscriptions/{subscription_id}',
  tag: 'Notifications',
  summary: 'No longer be notified in a browser',
  description: 'What waits for the browser is not sent any more.',
  who: ['owner'],
  params: request({ subscription_id: idParam('psub') }),
  status: 200,
  response: response(
    {
      subscription_id: idSchema('psub'),
      ended: Type.Literal(true, { description: 'Nothing is sent to the browser any more.' }),
    },
    {
      title: 'PushSubscriptionEnded',
      description: 'The browser is removed.',
      examples: [{ subscription_id: exampleId('psub'), ended: true }],
    },
  ),
  errors: ['not_found'],
})
