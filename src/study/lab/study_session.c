#include "study/lab/study_session.h"

bool study_session_go_on(void *session, uint64_t done, uint64_t planned)
{
    const struct study_session *asked = session;
    return asked->go_on(asked->context, done, planned);
}
