# The gateway makes each key itself: this adds the key of the run to its database, with its own functions.
import os

from any_llm.gateway.auth.models import hash_key
from any_llm.gateway.db import APIKey, User, get_db, init_db

init_db("sqlite:///gateway.db")
db = next(get_db())
db.add(User(user_id="client"))
db.add(APIKey(id="client", key_hash=hash_key(os.environ["KEY"]), user_id="client"))
db.commit()
