import { texts } from '../language/texts.ts'

export const keyTexts = texts({
  en: {
    title: 'Agent key',
    hint: 'The agent’s program sends this key with every request. The service stores only a fingerprint of it.',
    now: (last4: string) => `The key in use ends in ${last4}.`,
    rotate: 'Make a new key',
    rotateTitle: 'Make a new key?',
    rotateHint:
      'The old key stops working at once: the agent pays nothing until its program has the new one. The new key is shown once.',
    act: 'Make a new key',
    key: 'agent key',
    once: 'This is the new key. It is shown only now: copy it into the agent’s program or your password manager.',
    isStored: 'The new key is in use',
    hintFrozen: 'An agent that is deactivated gets no new key.',
  },
  hi: {
    title: 'एजेंट की कुंजी',
    hint: 'एजेंट का प्रोग्राम हर अनुरोध के साथ यह कुंजी भेजता है। सेवा इसकी केवल एक छाप रखती है।',
    now: last4 => `चालू कुंजी ${last4} पर ख़त्म होती है।`,
    rotate: 'नई कुंजी बनाएँ',
    rotateTitle: 'नई कुंजी बनाएँ?',
    rotateHint:
      'पुरानी कुंजी तुरंत बंद हो जाएगी: जब तक प्रोग्राम को नई कुंजी न मिले, एजेंट कुछ नहीं चुकाएगा। नई कुंजी एक ही बार दिखती है।',
    act: 'नई कुंजी बनाएँ',
    key: 'एजेंट की कुंजी',
    once: 'यह नई कुंजी है। यह केवल अभी दिखेगी: इसे एजेंट के प्रोग्राम या अपने पासवर्ड मैनेजर में रखें।',
    isStored: 'नई कुंजी चालू है',
    hintFrozen: 'बंद किए गए एजेंट को नई कुंजी नहीं मिलती।',
  },
})
