import CSndFile

/// A text tag of a file.
public enum MetadataTag: String, Sendable, Hashable, CaseIterable {
    /// The title.
    case title
    /// The performer.
    case artist
    /// The album or collection.
    case album
    /// A comment.
    case comment
    /// The date of the recording.
    case date
    /// The genre.
    case genre
    /// The number in the album.
    case track
    /// The copyright holder.
    case copyright
    /// The licence.
    case license

    /// libsndfile's number for the tag.
    var soundFileString: Int {
        switch self {
        case .title: SF_STR_TITLE
        case .artist: SF_STR_ARTIST
        case .album: SF_STR_ALBUM
        case .comment: SF_STR_COMMENT
        case .date: SF_STR_DATE
        case .genre: SF_STR_GENRE
        case .track: SF_STR_TRACKNUMBER
        case .copyright: SF_STR_COPYRIGHT
        case .license: SF_STR_LICENSE
        }
    }
}
